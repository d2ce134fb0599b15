"""How inputs stand for something: Booleans, counts and positions. Cookbook, Section 3."""

from functools import partial

from symcook.recipes import recipe as declared

recipe = partial(declared, kind="representation")
