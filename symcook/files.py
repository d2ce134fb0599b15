"""Writing files completely and together, or not at all; errors for names where no file can be written; and reading
files within limits of size."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from symcook.alarm import undisturbed
from symcook.errors import BadInput

Name = TypeVar("Name", bound=Hashable)

MOST_BYTES = 10**9
"""The greatest size of a file that is read, unless its kind has a smaller limit."""
MOST_NESTED = 100
"""The greatest depth of nesting in a JSON document."""
_NAME = r"[\w.~:@-][\w.~:@ -]*"
FORM_OF_PATH = re.compile(rf"(?:{_NAME})?(?:/{_NAME})+/?|{_NAME}/|(?:{_NAME})?[\w~:@ -]\.[A-Za-z]\w{{1,7}}")
"""Names with separators between them, or one with an ending of two to eight characters: no sign of an operator."""
finished: list[Path] = []
"""The files that this command has written completely: the message of an interrupted command lists them."""


def ordinary(place: str | Path, what: str, example: str) -> Path:
    """The path of a file or folder to write. Raises BadInput for "-" (several files cannot go to a stream), for a path
    without a name such as ".", and for a pipe or a device."""
    path = Path(place)
    if path.name in ("-", "") or (path.exists() and not path.is_file() and not path.is_dir()):
        raise BadInput(f"{what} must be the name of a file or folder to write", place, f"give for example {example}")
    return path


def vacant(target: Path, force: bool) -> None:
    """Raise BadInput if no file can be written to `target`: it is a folder, a pipe or a device or, without `force`, an
    existing file."""
    regular(target)
    if target.exists() and not force:
        raise exists(target)


def regular(target: Path) -> None:
    """Raise BadInput for a folder, a pipe or a device: a file never replaces one, not even with --force; and for "-",
    which other programs take for a stream."""
    if target.name == "-":
        raise BadInput("the target must be the name of a file", target, "give another name; symcook writes no streams")
    if target.exists() and not target.is_file():
        kind = "a folder" if target.is_dir() else "a pipe or a device"
        raise BadInput(f"the target must be a file, not {kind}", target, "give another name")


def exists(target: object) -> BadInput:
    """The error for a target that exists already."""
    return BadInput("the target must not exist yet", target, "add --force to replace it")


def put(contents: Mapping[Path, bytes], *, force: bool) -> None:
    """Write all files or none: first under temporary names in the same folders, which then replace the targets.

    `contents` must not be empty. If the system fails to replace a target although its content is written, the targets
    before it stay replaced with `force`; without it they are removed again. Raises BadInput if a target is a folder, a
    pipe or a device; FileExistsError if, without `force`, a target has come to exist in the meantime; another OSError,
    which names the target, if one cannot be written. An interruption leaves no incomplete and no temporary file.
    """
    import tempfile  # imported here, since its import is slow and other commands do not need it

    written: list[tuple[Path, Path]] = []
    claimed: list[Path] = []
    for target in contents:
        regular(target)
    try:
        for target, content in contents.items():
            with _naming_target(target):
                handle, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", dir=target.parent)
                written.append((Path(name), target))
                with os.fdopen(handle, "wb") as file:
                    file.write(content)
                os.chmod(name, 0o644)
        # All are written: now they replace the targets together. Without --force a target is first created as an empty
        # file, so that no other process can create it in the meantime.
        with alone(written[0][1].parent), undisturbed():
            for _, target in written:
                if not force:
                    target.open("xb").close()  # an empty file to replace, or FileExistsError
                    claimed.append(target)
            for temporary, target in written:
                with _naming_target(target):
                    os.replace(temporary, target)
            claimed.clear()
            finished.extend(contents)
    finally:
        for path in (*claimed, *(temporary for temporary, _ in written)):
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def _naming_target(target: Path) -> Iterator[None]:
    """A context in which an OSError about a temporary file names the target instead."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(target)) from None


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """A context that only one process at a time can enter for `folder`; without effect if the system has no such lock
    or the folder cannot be opened.

    In it a process changes files of the folder. So two runs with --force do not leave one file of each, and a file of
    records loses no line of another run.
    """
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(ImportError, OSError):
            import fcntl

            handle = os.open(folder, os.O_RDONLY)
            stack.callback(os.close, handle)
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def content(path: str | Path, what: str, most: int = MOST_BYTES, do: Callable[[], str] | None = None) -> bytes:
    """The bytes of a regular file. The files that users give to symcook are read by this function, except checkpoints,
    which SQLite reads, and first bytes (`start_of`).

    Raises BadInput if the file has more than `most` bytes, or (with the hint `do()`) if it cannot be read. Pipes, which
    may never send anything, and devices, which may have no end, are not read. `what` names the file in messages.
    """
    try:
        with open(path, "rb", opener=_open_regular) as stream:
            large = os.fstat(stream.fileno()).st_size > most
            data = b"" if large else stream.read(most + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise BadInput(f"{what} must be readable", f"{path} ({reason})", do() if do else None) from None
    if large or len(data) > most:
        raise BadInput(f"{what} must have at most {most:,} bytes", path, "give a smaller file")
    return data


def _open_regular(path: str, flags: int) -> int:
    """The handle of a regular file, opened without waiting. Raises OSError for anything else."""
    handle = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    mode = os.fstat(handle).st_mode
    if stat.S_ISREG(mode):
        return handle
    os.close(handle)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    raise OSError(errno.EINVAL, "a pipe or a device, not a file")


def text_of(path: str | Path, what: str, most: int = MOST_BYTES, do: str | None = None) -> str:
    """The text of a regular file in UTF-8, with line feeds at the ends of lines and without a byte order mark. Raises
    BadInput for other content."""
    try:
        text = content(path, what, most, None if do is None else lambda: do).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{what} must be text in UTF-8", f"{path}: {error}", do) from None
    return lines_of(text)


def lines_of(text: str) -> str:
    """A text with line feeds at the ends of lines and without a byte order mark.

    >>> lines_of("\\ufeffa\\r\\nb")
    'a\\nb'
    """
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def names_file(text: str) -> bool:
    """Whether a file, a pipe or a device has this name; False for a folder, and for a text that no path can be."""
    path = Path(text)
    try:
        return path.exists() and not path.is_dir()
    except (OSError, ValueError):  # too long, or with a character that no path may have
        return False


def is_path(text: str) -> bool:
    """Whether a text that may be an expression is the path of a file.

    It is one if a file has this name, or if it has the form of a path: names without signs of operators, between
    separators or with an ending. Whoever means an expression of this form writes it in brackets.

    >>> [is_path(text) for text in ("none/even", "none.dot", "(a.dot)", "a.b", "(a|b)*/a")]
    [True, True, False, False, False]
    """
    return names_file(text) or FORM_OF_PATH.fullmatch(text.replace(os.sep, "/")) is not None


def start_of(path: str | Path, many: int) -> bytes:
    """The first `many` bytes of a file; b"" if there is no regular file with this name."""
    try:
        with open(path, "rb", opener=_open_regular) as stream:
            return stream.read(many)
    except (OSError, ValueError):
        return b""


def parsed(text: str | bytes, must: str, name: object, **reading: Any) -> Any:
    """The document of a JSON text; `reading` are keywords of `json.loads`.

    Raises BadInput, with `must` and the `name` of the text, for invalid JSON, for an object that repeats a key (unless
    `reading` has an `object_pairs_hook`), and for nesting of more than `MOST_NESTED`.
    """
    keywords: dict[str, Any] = {"object_pairs_hook": once} | reading
    try:
        document = json.loads(text, **keywords)
    except (ValueError, RecursionError) as error:
        why = error if isinstance(error, ValueError) else "it nests too deep"
        raise BadInput(must, f"{name}: {why}", "repair the file at this place") from None
    # `level` has all values at one depth; after MOST_NESTED steps there must be none left.
    level = [document]
    for _ in range(MOST_NESTED):
        level = [part for value in level for part in _inner_values(value)]
    if level:
        raise BadInput(
            must, f"{name}: it nests more than {MOST_NESTED} deep", "write it with fewer nested lists and objects"
        )
    return document


def repeated(names: Iterable[Name]) -> Name | None:
    """The first name that occurs again later; None if all names differ."""
    counts = Counter(names)
    return next((name for name, count in counts.items() if count > 1), None)


def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object of JSON; ValueError where a key repeats, since a reader would drop one of the two values."""
    if (twice := repeated(name for name, _ in pairs)) is not None:
        raise ValueError(f"the key {twice} is there twice")
    return dict(pairs)


def _inner_values(value: object) -> Iterable[object]:
    """The values in an object or a list; () for anything else."""
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def exact_json(text: bytes | str, kind: str) -> Any:
    """The document of a JSON text in which exact numbers are written as texts, such as "1/2"; `kind` is for messages.

    Raises BadInput for a repeated key, a float and a long integer; ValueError or RecursionError for invalid JSON.
    """

    def pairs(given: list[tuple[str, object]]) -> dict[str, object]:
        """An object. Raises BadInput if a key is repeated."""
        if (twice := repeated(name for name, _ in given)) is not None:
            raise BadInput(f"a {kind} file must not repeat a key", twice, "leave one of the two out")
        return dict(given)

    def refused(given: str) -> NoReturn:
        """Raise BadInput for a float, which would not be exact."""
        raise BadInput(f"a number in a {kind} file must be text in the grammar", given, 'write it as "1/2"')

    def whole(given: str) -> int:
        """An integer. Raises BadInput for one with more than 18 characters, which may not fit into 64 bits."""
        if len(given) > 18:
            raise BadInput(
                f"a whole number in a {kind} file must have at most 18 digits", given, "write it as text, in quotes"
            )
        return int(given)

    return json.loads(text, object_pairs_hook=pairs, parse_constant=refused, parse_float=refused, parse_int=whole)
