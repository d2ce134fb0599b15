"""Recipes about representations of Booleans, counts and positions by numbers: Cookbook, Section 3."""

from functools import partial

from symcook.recipes import recipe as declared

recipe = partial(declared, kind="representation")
