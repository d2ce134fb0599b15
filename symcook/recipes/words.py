"""The words that the texts of recipes use in addition to the grammar, and what they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.model.expr import names
from symcook.model.meaning import called

if TYPE_CHECKING:
    from symcook.recipes import Recipe

WORDS = {
    "w": ("i", "", "the index of the symbol at position i in the alphabet, from 0"),
    "C": (
        "i",
        "sum(j, 1, i, I[w(j) = 0])",
        "the number of times that the first i symbols are the first symbol of the alphabet",
    ),
    "ones": ("i", "sum(j, 1, i, I[w(j) = 1])", "the number of 1s among the first i symbols"),
    "opens": ("i", "sum(j, 1, i, I[w(j) = 0])", "the number of opening brackets among the first i symbols"),
    "closes": ("i", "sum(j, 1, i, I[w(j) = 1])", "the number of closing brackets among the first i symbols"),
    "gelu": ("x", "x*(1 + erf(x/sqrt(2)))/2", "x times the normal distribution function at x"),
    "bracket": (
        "i",
        "if(mod(w(i), 2) = 0, w(i)/2 + 1, -(w(i) + 1)/2)",
        "t for the opening bracket of kind t, -t for the closing one",
    ),
}
"""For each word: its argument, the expression that it abbreviates ("" for a built-in), and its meaning."""
SHOWN = "the index of the output, from 0"
"""The meaning of k."""


def meanings(recipe: Recipe, formula: bool) -> dict[str, str]:
    """{word: its meaning} for the words that the texts of a recipe use; with `formula` these are formulas, else terms.

    >>> from symcook.recipes import info
    >>> meanings(info("count"), formula=False)
    {'C(i)': 'the number of times that the first i symbols are the first symbol of the alphabet'}
    """
    trees = [recipe.text(kind, formula) for kind in ("formula", "computes")]
    words_used = set().union(*map(called, trees))
    means_of = {
        f"{name}({argument})": means for name, (argument, _, means) in recipe.vocabulary.items() if name in words_used
    }
    return means_of | ({"k": SHOWN} if any("k" in names(tree) for tree in trees) else {})
