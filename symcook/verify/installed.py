"""What belongs to the environment: the standard library, installed packages and this library."""

from __future__ import annotations

import os
import sys
from functools import cache


@cache
def real_path(file: str) -> str:
    """The real path of a file. Cached: finding it for all loaded modules would take longer than a short check."""
    return os.path.realpath(file)


def is_below(file: str, folder: str) -> bool:
    """Whether `file` is in `folder` or a folder below it."""
    return file.startswith(folder + os.sep)


def is_installed(file: str) -> bool:
    """Whether a file, given by its real path, belongs to the standard library, an installed package or this library."""
    return any(is_below(file, folder) for folder in _installed_folders())


@cache
def _installed_folders() -> frozenset[str]:
    """The folders of the standard library, of installed packages and of this library."""
    import sysconfig

    import symcook

    folders = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    # The path may also name the packages of another environment.
    folders |= {path for path in sys.path if os.path.basename(path) in ("site-packages", "dist-packages")}
    return frozenset(map(real_path, {*folders, os.path.dirname(symcook.__file__)}))
