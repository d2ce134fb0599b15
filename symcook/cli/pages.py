"""``symcook list``, ``explain`` and ``show`` as functions: what the commands print, as text."""

from __future__ import annotations

from typing import Any

from symcook.cli.about import explained, shown
from symcook.cli.listing import listed
from symcook.cli.options import choose
from symcook.door import door
from symcook.model.transformer import Transformer


class Page(str):
    """Text that shows itself as it is, in a session too."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


@door()
def list(search: str = "") -> Page:
    """The recipes, functions, families and programs that there are, by section of the Cookbook, as text.

    Arguments:
        search: only those with this text in section, name or summary; all by default.

    Example:
        >>> print(list("gtzero"))
        4  Piecewise Linear Functions
          §4.7    gtzero       0 for x <= 0, 1 for x >= eps, linear between
    """
    return Page(listed(search)[0])


@door(name='give the name of a recipe, as in explain("gtzero")')
def explain(name: str, **settings: object) -> Page:
    """What a recipe computes, where it is exact and which paper it comes from, as text; or a program that ships.

    Arguments:
        name: a recipe, a function of the library, a shipped program, a model file, or "grammar".
        settings: arguments of the recipe.

    Raises BadInput, with the nearest name, for a name that there is not.
    Example: `explain("gtzero")`, `explain("sort.srasp")`
    """
    return Page(explained(name, _settings(settings))[1])


@door(name='give the name of a recipe, as in show("dyck-1")')
def show(name: str | Transformer, **settings: Any) -> Page:
    """The matrices, coordinates, parameters and region of a model, as text.

    Arguments:
        name: a recipe, a model file, or a model.
        settings: arguments of the recipe and values of its parameters.

    Raises BadInput, with the nearest name, for a name that there is not.
    Example: `show("dyck-1")`
    """
    if isinstance(name, Transformer):
        return Page(name.bind(settings, require=False).text())
    chosen = choose(name, _settings(settings))
    return Page(shown(chosen, chosen.bound()))


def _settings(given: dict[str, object]) -> tuple[str, ...]:
    """Settings as the command line has them."""
    return tuple(f"{name}={value}" for name, value in given.items())
