"""Files that appear whole and together, or not at all, and the refusals of places where none can."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from symcook.errors import BadInput


def ordinary(place: str | Path, what: str, example: str) -> Path:
    """The path, where files may get this name; BadInput for - (several files are no stream) and for a device."""
    path = Path(place)
    if path.name in ("-", "") or (path.exists() and not path.is_file() and not path.is_dir()):
        raise BadInput(f"{what} must be the name of a file or folder to write", place, f"give for example {example}")
    return path


def vacant(target: Path, force: bool) -> None:
    """BadInput where a file cannot get this name: a folder has it or, without `force`, another file."""
    if target.is_dir():
        raise BadInput("the target must be a file, not a folder", target)
    if target.exists() and not force:
        raise exists(target)


def exists(target: object) -> BadInput:
    """The refusal of a target that is there already."""
    return BadInput("the target must not exist yet", target, "add --force to replace it")


def put(contents: Mapping[Path, bytes], *, force: bool) -> None:
    """Write all files or none: under temporary names beside them, which then take the place of the targets.

    FileExistsError where a target exists by then and there is no `force`: whoever was first keeps it. Another OSError
    where one cannot be written. What is interrupted leaves no file half-written and no temporary one.
    """
    written: list[tuple[Path, Path]] = []
    claimed: list[Path] = []
    try:
        for target, content in contents.items():
            handle, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", dir=target.parent)
            written.append((Path(name), target))
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.chmod(name, 0o644)
        with _alone(written[0][1].parent):
            for _, target in written:
                if not force:
                    target.open("xb").close()  # an empty file that is ours to replace, or FileExistsError
                    claimed.append(target)
            for temporary, target in written:
                os.replace(temporary, target)
            claimed.clear()
    finally:
        for path in (*claimed, *(temporary for temporary, _ in written)):
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Held while files move into `folder`, so that two runs with --force do not leave one file of each; without effect
    where the system has no such lock."""
    with contextlib.ExitStack() as held:
        with contextlib.suppress(ImportError, OSError):
            import fcntl

            handle = os.open(folder, os.O_RDONLY)
            held.callback(os.close, handle)
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
