"""Recipes in which a layer norm does the computation: Cookbook, Section 6."""

from functools import partial

from symcook.recipes import recipe as declared

recipe = partial(
    declared,
    kind="layer norm",
    uniformity="No weight depends on the length; the same layers work at every position.",
)
