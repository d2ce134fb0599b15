"""The words that the formulas of recipes use beside those of the grammar, and what they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.errors import BadInput
from symcook.model.expr import ARITY, Tree, names, parse_formula, parse_term
from symcook.model.meaning import ROUNDED, subtrees

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer
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


def of_recipe(recipe: Recipe) -> dict[str, tuple[str, str, str]]:
    """The words of a recipe's texts: `WORDS`, and score(j) where it says its score."""
    return WORDS | ({"score": ("j", recipe.score, recipe.score)} if recipe.score else {})


def read(text: str, formula: bool) -> Tree:
    """A text that a recipe says of itself, as a formula or else as a term."""
    return parse_formula(text, 100_000) if formula else parse_term(text, 100_000)


def called(tree: Tree) -> set[str]:
    """The functions that a text calls."""
    return {part[1] for part in subtrees(tree) if part[0] == "call"}


def meanings(recipe: Recipe, formula: bool) -> dict[str, str]:
    """What the words mean that the texts of a recipe use, which are formulas or else terms.

    >>> from symcook.recipes import info
    >>> meanings(info("count"), formula=False)
    {'C(i)': 'how often the first letter of the alphabet stands among the first i'}
    """
    trees = [read(text, formula) for text in (recipe.formula, recipe.computes)]
    found = set().union(*map(called, trees))
    said = {f"{name}({argument})": means for name, (argument, _, means) in of_recipe(recipe).items() if name in found}
    return said | ({"k": SHOWN} if any("k" in names(tree) for tree in trees) else {})


def evaluable(recipe: Recipe, model: Transformer) -> None:
    """BadInput for a recipe with a `formula`, `computes` or `score` that says a word which nothing gives a value:
    neither the input, its symbols and arguments, nor the grammar and `WORDS`; for `computes` the coordinates of a run
    do too."""
    numbers = {"i", "n", "k", *(one.name for one in (*recipe.symbols, *recipe.arguments, *model.parameters))}
    inputs = set(model.embedding.inputs or ())
    kinds = [("formula", inputs), ("computes", inputs.union(model.space.names))]
    for kind, columns in [*kinds, ("score", {*inputs, "j"})] if recipe.score else kinds:
        text = getattr(recipe, kind)
        tree = read(text, model.decides and kind != "score")
        free = names(tree) - numbers - columns
        free |= {f"{name}(..)" for name in called(tree) - {*ARITY, *ROUNDED, *of_recipe(recipe), *columns}}
        if free:
            must = f"`{kind}` of the recipe {recipe.name} must say what an input, arguments and words of formulas give"
            raise BadInput(must, text, f"declare or replace {', '.join(sorted(free))}")
