"""Mutated command lines and files: each ends with an exit code of the contract and leaves whole files or none.

    python tests/fuzz.py 30000           # the cases 0 to 29,999: 15 minutes of the processor
    python tests/fuzz.py 100 --first 500 # the cases 500 to 599; a line for each fault, exit 1 where there is one
    python tests/fuzz.py --case 4711     # one case, with what it prints

A case is drawn by its number: one of `fuzz_given.LINES`, with words changed (dropped, doubled, abbreviated, other
values, other options), and in most cases with one file changed that the line reads (`fuzz_damage`). It runs in a fork
of one warm process with limits of memory and of time. After `STOP` seconds of the processor it is interrupted, as a
user would, and so are some cases at a random moment.

A fault is: an exit code other than 0, 1, 2, 3 and 130, a traceback, more than one sentence of bad input, no end
`WALL` seconds after the start (long, since a busy machine may give a process little), a file that is left half-written
or under a temporary name, and a given file that is changed without --force.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import select
import shlex
import shutil
import signal
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))

from fuzz_damage import damage, mutated
from fuzz_given import ALWAYS, LINES, given, made, redirected, used

from symcook.__main__ import main as symcook

TOGETHER = 25
"""How many cases run in one fork."""
LOST = 77
"""The exit code of a case that left the command by an exception."""
MEMORY, STOP, WALL = 3 * 2**30, 3, 300
"""Bytes of a process; seconds of the processor before a case is interrupted, and by the clock before it is killed."""
ALLOWED = frozenset({0, 1, 2, 3, 130})
WHOLE = {".html": b"</html>\n", ".svg": b"</svg>\n"}
"""How a whole file ends."""


class Case(NamedTuple):
    """A line of words, what is done to which file before it runs, and when it is interrupted."""

    words: list[str]
    file: str | None
    how: str
    interrupt: float | None


class Ending(NamedTuple):
    """How a case ended: its exit code, or a negative signal; its streams; what is wrong; seconds of the processor."""

    code: int
    out: str
    err: str
    faults: list[str]
    seconds: float


def drawn(number: int) -> Case:
    """The case of this number."""
    rng = random.Random(number)
    words = shlex.split(rng.choice(LINES))
    read = used(words)
    file = rng.choice(read) if read and rng.random() < 0.65 else None
    if file is None or rng.random() < 0.15:
        words = mutated(words, rng)
    how = rng.choice(["part", "part", "part", "part", "line", "line", "bytes", "bytes", "place"]) if file else ""
    return Case(words, file, how, rng.expovariate(8) if rng.random() < 0.05 else None)


def prepared(case: Case, number: int, work: Path) -> None:
    """Make the folder of a case."""
    for name in {*used(case.words), *ALWAYS, *filter(None, [case.file])}:
        shutil.copyfile(made() / name, work / name)
    for name in ("folder", "folder.npz"):
        (work / name).mkdir()
    os.mkfifo(work / "pipe")
    for name, to in (("link", "mine.json"), ("zero", "/dev/zero"), ("loop", "loop")):
        (work / name).symlink_to(to)
    if case.file:
        damage(work / case.file, case.how, random.Random(f"files {number}"))


def ran(case: Case, number: int, folder: Path, begun: Callable[[], None]) -> Ending:
    """How a case ends, in a new folder; `begun` is called right before the command."""
    work = folder / str(number)
    work.mkdir()
    prepared(case, number, work)
    before, spent = seen(work), time.process_time()
    os.chdir(work)
    begun()
    with (folder / "out").open("w+", encoding="utf-8", errors="backslashreplace") as out, \
            (folder / "err").open("w+", encoding="utf-8", errors="backslashreplace") as err:  # fmt: skip
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        code = _answered(case.words, out, err)
        for stream in (out, err):
            stream.flush()
            stream.seek(0)
        said = out.read(), err.read()
    os.chdir(folder)
    seconds = time.process_time() - spent
    faults = [] if code in ALLOWED else [f"exit code {code}"]
    debug = any(len(word) > 3 and "--debug".startswith(word) for word in case.words)
    faults += ["a traceback"] if "Traceback" in said[1] and not debug else []
    if code == 2 and said[1].strip().count("\n") and not debug:
        faults.append("not one sentence")
    faults += left(work, before, case.words)
    shutil.rmtree(work)
    return Ending(code, *said, faults, seconds)


def _answered(words: list[str], out: Any, err: Any) -> int:
    """The exit code of a command under its limits."""

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    with redirected(out, err):
        sys.argv = ["symcook", *words]
        signal.signal(signal.SIGXCPU, stopped)
        resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + STOP, resource.RLIM_INFINITY))
        try:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            code = symcook(words)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        except BaseException as error:
            import traceback

            if isinstance(error, KeyboardInterrupt) and len(traceback.extract_tb(error.__traceback__)) <= 2:
                return 130  # before the command began, or after its end
            traceback.print_exc(file=err)
            return LOST
        finally:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    return code


def batch(numbers: list[int], folder: Path, pipe: int) -> None:
    """Run some cases one after the other; each is a line when it begins and a line of how it ended. A case that was
    stopped is the last."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def tell(what: object) -> None:
        os.write(pipe, json.dumps(what).encode() + b"\n")

    for number in numbers:
        case = drawn(number)
        ending = ran(case, number, folder, lambda: tell(None))
        tell([ending.code, ending.out[:4000], ending.err[-8000:], ending.faults, ending.seconds])
        if ending.code == 130 or ending.seconds > STOP:
            break


def results(numbers: Iterable[int], together: int = TOGETHER) -> Iterator[tuple[int, Case, Ending]]:
    """Each case and how it ended. A process that dies or does not end in time is an ending of the case that it ran."""
    todo = list(numbers)
    while todo:
        folder, (read, write) = Path(tempfile.mkdtemp(prefix="fuzz-")), os.pipe()
        sys.stdout.flush()
        pid = os.fork()
        if pid == 0:
            try:
                os.close(read)
                batch(todo[:together], folder, write)
                os._exit(0)
            finally:
                os._exit(LOST)  # this file has a fault
        os.close(write)
        begun, now, kept = time.monotonic(), drawn(todo[0]), b""
        interrupt = now.interrupt
        while True:
            wait = begun + (WALL if interrupt is None else interrupt) - time.monotonic()
            if not select.select([read], [], [], max(0.0, wait))[0]:
                os.kill(pid, signal.SIGKILL if interrupt is None else signal.SIGINT)
                if interrupt is None:
                    yield todo[0], now, Ending(-9, "", "", [f"no end after {WALL} seconds"], WALL)
                    todo = todo[1:]
                    break
                interrupt = None
                continue
            data = os.read(read, 65536)
            *lines, kept = (kept + data).split(b"\n")
            for line in map(json.loads, lines):
                begun = time.monotonic()
                if line is not None:
                    yield todo[0], now, Ending(*line)
                    todo = todo[1:]
                    now = drawn(todo[0]) if todo else now
                interrupt = now.interrupt if line is None else None
            if not data:
                break
        os.close(read)
        _, status = os.waitpid(pid, 0)
        code = os.waitstatus_to_exitcode(status)
        if code not in (0, -9):
            yield todo[0], now, Ending(code, "", "", [f"exit code {code}"], 0.0)
            todo = todo[1:]
        shutil.rmtree(folder, ignore_errors=True)


def seen(folder: Path) -> dict[str, bytes | None]:
    """The files of a folder, and their contents; of other things None."""
    found = dict[str, bytes | None]()
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        found[name] = path.read_bytes() if path.is_file() and not path.is_symlink() else None
    return found


def left(folder: Path, before: dict[str, bytes | None], words: list[str]) -> Iterator[str]:
    """What is wrong with the files that a case has left."""
    after = seen(folder)
    forced = any(len(word) > 2 and "--force".startswith(word) for word in words)
    ours = [word.split("=")[-1] for word in words]
    for name in sorted(before.keys() - after.keys()):
        if not name.endswith(("-wal", "-shm", "-journal")):
            yield f"{name} is gone"
    for name, data in after.items():
        if before.get(name, b"\0new") == data or data is None or "__pycache__" in name:
            continue
        new = name not in before
        if not new and not forced and name not in ours:
            yield f"{name} is changed"
        if new and Path(name).name.startswith(".") and not any(Path(one).name.startswith(".") for one in ours):
            yield f"{name} is left"
        elif not whole(folder / name, data):
            yield f"{name} is not whole"


def whole(path: Path, data: bytes) -> bool:
    """Whether a file that was written is whole, by its kind."""
    if data.startswith(b"SQLite format 3") or path.name.endswith(("-wal", "-shm", "-journal", ".db")):
        return True
    try:
        if path.suffix == ".json":
            json.loads(data)
        elif path.suffix == ".npz":
            return zipfile.ZipFile(path).testzip() is None
        elif path.suffix in WHOLE:
            return data.endswith(WHOLE[path.suffix])
    except (ValueError, zipfile.BadZipFile):
        return False
    return bool(data)


def warm() -> None:
    """All that commands import, before the forks."""
    import gc
    from importlib import import_module
    from pkgutil import walk_packages

    import symcook as package

    for found in walk_packages(package.__path__, "symcook."):
        if not found.name.endswith(("__main__", "run_npz")):
            import_module(found.name)
    given()
    gc.collect()
    gc.freeze()


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Mutated command lines and files.")
    parser.add_argument("cases", type=int, nargs="?", default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--case", type=int)
    options_ = parser.parse_args(arguments)
    warm()
    if options_.case is not None:
        ((_, case, ending),) = results([options_.case])
        print(case, ending.code, ending.faults, ending.out[:3000], ending.err[-6000:], sep="\n")
        return bool(ending.faults)
    codes, faulty, seconds = Counter[int](), 0, Counter[str]()
    for number, case, ending in results(range(options_.first, options_.first + options_.cases)):
        codes[ending.code] += 1
        if ending.seconds > STOP:
            seconds[case.words[0] if case.words else ""] += 1
        if number % 500 == 499:
            print(f"{number + 1}  {dict(sorted(codes.items()))}", flush=True)
        if ending.faults:
            faulty += 1
            shown = " ".join(shlex.quote(word)[:60] for word in case.words)
            said = ending.err.strip().rpartition("\n")[2][:200]
            print(f"{number}  {'; '.join(ending.faults)}  {shown}  [{case.file} {case.how}]  {said}", flush=True)
    stopped = ", ".join(f"{count} of {name}" for name, count in seconds.items()) or "none"
    print(
        f"{options_.cases} cases, {faulty} with a fault; exit codes {dict(sorted(codes.items()))}; stopped: {stopped}"
    )
    return bool(faulty)


if __name__ == "__main__":
    sys.exit(main())
