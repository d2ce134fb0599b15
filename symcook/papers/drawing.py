"""Finds the figures of papers and writes them to files.

Each paper has a folder here with a module `figures`. Its dict FIGURES has, by name of a recipe, the functions that make
the recipe's figures. Its OF_LENGTHS names the recipes with a figure up to a maximum length.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from symcook import papers
from symcook.errors import BadInput, unknown
from symcook.files import exists, ordinary
from symcook.report.figure import Figure, endings, write_files

Make = Callable[[int, Callable[[str], None]], Figure]
"""Makes one figure. Arguments: the greatest length of strings, which figures of fixed lengths or without strings
ignore; and a function that is called with a line of text before each longer computation, to report progress."""


def figures() -> dict[str, tuple[Make, ...]]:
    """The functions that make figures, by recipe."""
    makes_by_recipe: dict[str, tuple[Make, ...]] = {}
    for module in _modules():
        for name, makes in module.FIGURES.items():
            makes_by_recipe[name] = (*makes_by_recipe.get(name, ()), *makes)
    return makes_by_recipe


def of_lengths() -> list[str]:
    """The recipes with a figure that goes up to a maximum length."""
    return [name for module in _modules() for name in module.OF_LENGTHS]


def _modules() -> list[Any]:
    """The modules `figures` of all papers."""
    folders = sorted(module.name for module in iter_modules(papers.__path__) if module.ispkg)
    return [import_module(f"symcook.papers.{folder}.figures") for folder in folders]


def write(
    name: str,
    folder: str | Path,
    longest: int,
    *,
    makes: tuple[Make, ...] = (),
    force: bool = False,
    done: Callable[[str], None] = lambda _: None,
) -> list[Path]:
    """Write each figure of a recipe, or the figures made by `makes`, as CSV and, with matplotlib, as SVG and PNG; all
    files or none. Returns the files, in order.

    `longest` is the greatest length of strings; `force` overwrites files; `done` reports progress (see `Make`). The
    folder is made if it does not exist. Raises BadInput for a recipe without figures, for a folder with a figure of
    this recipe unless `force` is given, and for files that cannot be written.
    """
    place = ordinary(folder, "the folder of figures", "-o figures") if Path(folder).name else Path(folder)
    if place.exists() and not place.is_dir():
        raise BadInput(
            "the place for figures must be the name of a folder",
            place,
            "give the name of a folder, for example -o figures",
        )
    known = {name: makes} if makes else figures()
    if name not in known:
        raise unknown("recipe with figures", name, list(known))
    if not force:
        for old in sorted(place.glob(f"{name}-figure-*")) if place.is_dir() else ():
            raise exists(old)
    # All contents are made before the first file is written. On failure the new folders are removed again.
    contents: dict[Path, bytes] = {}
    new_folders = [folder for folder in (place, *place.parents) if not folder.exists()]
    try:
        place.mkdir(parents=True, exist_ok=True)  # fails before the work, which may take minutes, not after it
        for make in known[name]:
            figure = make(longest, done)
            for ending in endings():
                content = figure.csv().encode("ascii") if ending == ".csv" else figure.picture(ending[1:])
                contents[place / f"{name}-{figure.name}{ending}"] = content
        write_files(contents, force)
        new_folders = []
    except OSError as error:
        raise BadInput(
            "the folder for figures must be writable",
            f"{place} ({error.strerror})",
            "give another folder, or make it writable",
        ) from error
    finally:
        for folder in new_folders:
            with contextlib.suppress(OSError):  # another process may have put a file there
                folder.rmdir()
    return list(contents)
