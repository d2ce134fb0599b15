"""Files that appear whole and together, or not at all, and the refusals of places where none can; files that are read
within limits."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import signal
import stat
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from symcook.errors import BadInput

MOST_BYTES = 10**9
"""The greatest size of a file that is read, where its kind has no smaller one."""
MOST_NESTED = 100
"""How deep a document of JSON may nest, where its kind says nothing else."""
finished: list[Path] = []
"""The files that this command has written, which are whole; who interrupts it is told."""


def ordinary(place: str | Path, what: str, example: str) -> Path:
    """The path, where files may get this name; BadInput for - (several files are no stream) and for a device."""
    path = Path(place)
    if path.name in ("-", "") or (path.exists() and not path.is_file() and not path.is_dir()):
        raise BadInput(f"{what} must be the name of a file or folder to write", place, f"give for example {example}")
    return path


def vacant(target: Path, force: bool) -> None:
    """BadInput where a file cannot get this name: a folder has it or, without `force`, another file."""
    regular(target)
    if target.exists() and not force:
        raise exists(target)


def regular(target: Path) -> None:
    """BadInput for a folder, a pipe or a device: a file does not take its place, with --force neither."""
    if target.exists() and not target.is_file():
        kind = "a folder" if target.is_dir() else "a pipe or a device"
        raise BadInput(f"the target must be a file, not {kind}", target, "give another name")


def exists(target: object) -> BadInput:
    """The refusal of a target that is there already."""
    return BadInput("the target must not exist yet", target, "add --force to replace it")


def put(contents: Mapping[Path, bytes], *, force: bool) -> None:
    """Write all files or none: under temporary names beside them, which then take the place of the targets.

    BadInput where a target is a folder, a pipe or a device; FileExistsError where a target exists by then and there is
    no `force`: whoever was first keeps it. Another OSError where one cannot be written, which names the target. What is
    interrupted leaves no file half-written and no temporary one.
    """
    import tempfile  # which loads what only a command that writes has to wait for

    written: list[tuple[Path, Path]] = []
    claimed: list[Path] = []
    for target in contents:
        regular(target)
    try:
        for target, content in contents.items():
            with _named(target):
                handle, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", dir=target.parent)
                written.append((Path(name), target))
                with os.fdopen(handle, "wb") as file:
                    file.write(content)
                os.chmod(name, 0o644)
        # All are written: now they take their places together. Without --force a target is first claimed as an empty
        # file, so that nobody else can create it in the meantime.
        with alone(written[0][1].parent), _undisturbed():
            for _, target in written:
                if not force:
                    target.open("xb").close()  # an empty file that is ours to replace, or FileExistsError
                    claimed.append(target)
            for temporary, target in written:
                with _named(target):
                    os.replace(temporary, target)
            claimed.clear()
            finished.extend(contents)
    finally:
        for path in (*claimed, *(temporary for temporary, _ in written)):
            path.unlink(missing_ok=True)


@contextlib.contextmanager
def _named(target: Path) -> Iterator[None]:
    """What the system refuses about a temporary file, said of the file whose place it was to take."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(target)) from None


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Held by one process at a time while it changes files of `folder`: two runs with --force do not leave one file of
    each, and a record loses no line of another run. Without effect where the system has no such lock."""
    with contextlib.ExitStack() as held:
        with contextlib.suppress(ImportError, OSError):
            import fcntl

            handle = os.open(folder, os.O_RDONLY)
            held.callback(os.close, handle)
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """Ctrl-C and the end of a limit of time wait for the end of ``with``, so that files change together; outside of the
    main thread neither comes."""
    held: list[int] = []
    before: dict[signal.Signals, Any] = {}
    kinds = [getattr(signal, name) for name in ("SIGINT", "SIGALRM", "SIGPROF") if hasattr(signal, name)]
    try:
        for kind in kinds if threading.current_thread() is threading.main_thread() else ():
            if callable(handler := signal.getsignal(kind)):
                before[kind] = handler
                signal.signal(kind, lambda number, _: held.append(number))
        yield
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)
        for number in dict.fromkeys(held):
            signal.raise_signal(number)


def content(path: str | Path, what: str, most: int = MOST_BYTES, do: Callable[[], str] | None = None) -> bytes:
    """The bytes of a regular file, at most so many. Every path that is given to symcook is read here.

    BadInput where it has more bytes, or cannot be read: then with `do`. A pipe, on which one could wait for ever, and a
    device, which may have no end, are not read.
    """
    try:
        with open(path, "rb", opener=_at_once) as stream:
            data = stream.read(most + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise BadInput(f"{what} must be readable", f"{path} ({reason})", do() if do else None) from None
    if len(data) > most:
        raise BadInput(f"{what} must have at most {most:,} bytes", path)
    return data


def _at_once(path: str, flags: int) -> int:
    """A regular file, opened without waiting; OSError for anything else."""
    handle = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    mode = os.fstat(handle).st_mode
    if stat.S_ISREG(mode):
        return handle
    os.close(handle)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    raise OSError(errno.EINVAL, "a pipe or a device, not a file")


def text_of(path: str | Path, what: str, most: int = MOST_BYTES, do: str | None = None) -> str:
    """The text of a regular file in UTF-8, each line of which ends in a line feed; BadInput where it is none."""
    try:
        text = content(path, what, most, None if do is None else lambda: do).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{what} must be text in UTF-8", f"{path}: {error}", do) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def start_of(path: str | Path, many: int) -> bytes:
    """The first bytes of a file, so many; none where there is no regular file of this name."""
    try:
        with open(path, "rb", opener=_at_once) as stream:
            return stream.read(many)
    except (OSError, ValueError):
        return b""


def parsed(text: str | bytes, must: str, name: object, **reading: Any) -> Any:
    """The document of a JSON text, as `json.loads` reads it with the keywords `reading`.

    BadInput with `must`, and the text's name, where it is none, or nests more than `MOST_NESTED` deep.
    """
    try:
        document = json.loads(text, **reading)
    except (ValueError, RecursionError) as error:
        why = error if isinstance(error, ValueError) else "it nests too deep"
        raise BadInput(must, f"{name}: {why}") from None
    # The values at one depth after another.
    level = [document]
    for _ in range(MOST_NESTED):
        level = [part for value in level for part in _parts(value)]
    if level:
        raise BadInput(must, f"{name}: it nests more than {MOST_NESTED} deep")
    return document


def _parts(value: object) -> Iterable[object]:
    """The values in an object or a list; none in anything else."""
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def exact_json(text: bytes | str, kind: str) -> Any:
    """A document of JSON with numbers as text. BadInput for a repeated key, a float and a long integer, ValueError and
    RecursionError for what is no JSON."""

    def pairs(given: list[tuple[str, object]]) -> dict[str, object]:
        """An object, whose keys must differ."""
        names = [name for name, _ in given]
        if len(set(names)) < len(names):
            must = f"a {kind} file must not repeat a key"
            raise BadInput(must, next(name for name in names if names.count(name) > 1))
        return dict(given)

    def refused(given: str) -> NoReturn:
        """A float would not be exact."""
        raise BadInput(f"a number in a {kind} file must be text in the grammar", given, 'write it as "1/2"')

    def whole(given: str) -> int:
        """An integer that fits into 64 bits."""
        if len(given) > 18:
            raise BadInput(f"a whole number in a {kind} file must have at most 18 digits", given)
        return int(given)

    return json.loads(text, object_pairs_hook=pairs, parse_constant=refused, parse_float=refused, parse_int=whole)
