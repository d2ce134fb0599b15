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
    """The recipes, functions, families and programs, by section of the Cookbook, as text.

    Arguments:
        search: str (''). Only entries with this text in section, name or summary.

    Returns: str, empty if no entry has the text.

    Raises: BadInput: a search that is not text.

    Example:

    >>> print(list("gtzero"))
    4  Feed-Forward Layers
      §4.7    gtzero                    is x positive? 1 or 0, exact outside the window 0 < x < eps
      §4.7    gtzero-input              is x positive? tolerance or 0; the tolerance is an input
    """
    return Page(listed(search)[0])


@door(name='give the name of a recipe, as in explain("gtzero")')
def explain(name: str, **settings: object) -> Page:
    """What a recipe computes, where it is exact and which paper it comes from; or the text of a program of symcook.

    Arguments:
        name: str. A recipe, a function of the library, a shipped program, a model file, a language or a command.
        settings: exact numbers. Arguments of the recipe.

    Returns: str.

    Raises: BadInput: a name that is unknown; the message has the nearest one.

    Example:

    >>> explain("grammar").splitlines()[0]
    '# Expressions'
    """
    return Page(explained(name, _settings(settings))[1])


@door(name='give the name of a recipe, as in show("dyck-1")')
def show(name: str | Transformer, **settings: Any) -> Page:
    """The matrices, coordinates, parameters and region of a model, as text.

    Arguments:
        name: str or Transformer. A recipe, a model file, or a model.
        settings: exact numbers. Arguments of the recipe and values of its parameters.

    Returns: str.

    Raises: BadInput: a name that is unknown; the message has the nearest one.

    Example:

    >>> print(show("dyck-1").splitlines()[0])
    dyck-1
    """
    if isinstance(name, Transformer):
        return Page(name.bind(settings, require=False).text())
    chosen = choose(name, _settings(settings))
    return Page(shown(chosen, chosen.bound()))


def _settings(given: dict[str, object]) -> tuple[str, ...]:
    """Settings as the command line has them."""
    return tuple(f"{name}={value}" for name, value in given.items())
