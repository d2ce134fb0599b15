"""Chunks of an exhaustive check in other processes. Any `concurrent.futures.Executor` can run them, such as a pool of
processes on this machine or a Dask cluster on many. The process that asked records the results."""

from __future__ import annotations

import ast
import inspect
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Executor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from hashlib import sha256
from importlib import import_module
from itertools import islice
from pathlib import Path
from time import sleep
from types import ModuleType
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from symcook.errors import BadInput, SymcookError
from symcook.files import content
from symcook.model import modelfile
from symcook.model.expr import Tree
from symcook.verify.answers import Reference
from symcook.verify.chunks import Chunk, Plan
from symcook.verify.comparison import Comparison, Numbers, Tally

if TYPE_CHECKING:
    from symcook.programs.compiled import Program


@dataclass(frozen=True)
class Made:
    """A reference by the call that makes it, so that another process can make its own; what it is called, None where
    that does not tell it from others, and the file that defines it, where that belongs to its name."""

    make: Callable[[], Reference]
    called: str | None
    file: str | None = None

    @property
    def name(self) -> str | None:
        """What tells it from others, its file as it is now; None where it cannot be told."""
        if self.called is None or self.file is None:
            return self.called
        try:
            return f"{self.called} of a file with SHA-256 {sha256(_sources(Path(self.file))).hexdigest()[:16]}"
        except BadInput:
            return None

    @classmethod
    def of(cls, reference: Reference | Made) -> Made:
        """The maker of a given reference. Another process makes it by importing its module if it has a name there, else
        by unpickling it; the file that defines it is part of its identity."""
        if isinstance(reference, Made):
            return reference
        if isinstance(reference, (str, bytes)):
            raise BadInput("a specification must be a function of a string, or a Fold", reference)
        function: Any = getattr(reference, "step", reference)  # of a Fold
        home = str(getattr(function, "__module__", None))
        known = vars(sys.modules[home]) if home in sys.modules else {}
        named = [key for key, value in known.items() if value is reference]
        make = partial(_of_module, home, named[0]) if named else partial(_itself, reference)
        try:
            return cls(make, (named or [function.__qualname__])[0], inspect.getsourcefile(function) or "")
        except (TypeError, AttributeError):
            return cls(make, None)


def of_program(program: Program) -> Made:
    """The reference that a compiled model's program is, by the call that makes it, in other processes too."""
    from symcook.spec.programs import reference

    digest = sha256("\0".join((program.kind, program.source, *program.alphabet)).encode()).hexdigest()[:16]
    return Made(partial(reference, program), f"a program of {program.kind} with SHA-256 {digest}")


@cache
def _real(file: str) -> str:
    """Where a file is, asked once for each name: for all modules that are loaded it takes longer than a short sweep."""
    return os.path.realpath(file)


def _sources(file: Path) -> bytes:
    """A file, and those of all modules that it may import from its folder or that are loaded and of no installation.

    An installed package belongs to the environment; a file that is read, but not imported, is not seen.
    """
    own, folder = _real(str(file)), os.path.dirname(_real(str(file)))
    loaded = {_real(path) for module in list(sys.modules.values()) if (path := getattr(module, "__file__", None))}
    beside = {path for path in loaded if _below(path, folder) and not _of_installation(path)}
    used = {*_imported(own), *beside} - {own}
    imported = sorted(path for path in used if path.endswith(".py") and os.path.isfile(path))
    return b"".join([content(path, "a reference") for path in (file, *imported)])


def _below(file: str, folder: str) -> bool:
    return file.startswith(folder + os.sep)


def _of_installation(file: str) -> bool:
    return any(_below(file, folder) for folder in _installed())


@cache
def _installed() -> frozenset[str]:
    """The folders of the standard library, of installed packages and of this one."""
    import sysconfig

    import symcook

    folders = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    folders |= {
        path for path in sys.path if os.path.basename(path) in ("site-packages", "dist-packages")
    }  # of another's
    return frozenset(map(_real, {*folders, os.path.dirname(symcook.__file__)}))


def _imported(file: str) -> set[str]:
    """The files of modules that the module of a file has names of or imports, and those that these do, and so on."""
    homes = {
        _real(path): module for module in list(sys.modules.values()) if (path := getattr(module, "__file__", None))
    }
    reached, waiting = set[str](), [file]
    while waiting:
        module = homes.get(waiting.pop())
        for home in (*_homes(module), *_named(module)) if module is not None else ():
            found_file = getattr(home, "__file__", None)
            if found_file and (real := _real(found_file)) not in reached and not _of_installation(real):
                reached.add(real)
                waiting.append(real)
    return reached


def _homes(module: ModuleType) -> Iterator[ModuleType | None]:
    """The modules of what a module has names of."""
    for value in list(vars(module).values()):
        home = getattr(value, "__module__", None)
        yield value if isinstance(value, ModuleType) else sys.modules.get(str(home))


def _named(module: ModuleType) -> Iterator[ModuleType | None]:
    """The loaded modules that the import statements of a module name: a number that is imported has no home."""
    try:
        tree = ast.parse(content(str(module.__file__), "a reference"))
    except (BadInput, SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [name_imported.name for name_imported in node.names]
        elif isinstance(node, ast.ImportFrom):
            package = str(module.__package__).split(".")
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            names = [base, *(f"{base}.{name_imported.name}" for name_imported in node.names)]
        else:
            continue
        yield from map(sys.modules.get, names)


def _of_module(module: str, name: str) -> Reference:
    return getattr(import_module(module), name)


def _itself(reference: Reference) -> Reference:
    return reference


@dataclass(frozen=True)
class Task:
    """A comparison as it goes to other processes, each of which builds it once: the model as a file has it, and how its
    words are cut."""

    document: str
    sizes: tuple[int, int, int]
    made: Made
    numbers: Numbers
    within: Tree | None
    key: str = field(default_factory=lambda: uuid4().hex)

    @classmethod
    def of(cls, plan: Plan, made: Made, numbers: Numbers, within: Tree | None) -> Task:
        return cls(modelfile.dumps(plan.model), (plan.max_length, plan.block, plan.size), made, numbers, within)

    def built(self) -> tuple[Plan, Comparison]:
        """What this process, or thread, has built, which keeps what it learns about the reference."""
        known = _tasks.__dict__
        if self.key not in known:
            known.clear()  # one sweep at a time
            model = modelfile.loads(self.document)
            known[self.key] = (
                Plan(model, *self.sizes),
                Comparison(model, self.made.make(), self.numbers, within=self.within),
            )
        return known[self.key]


Results = Iterator[tuple[Chunk, Tally]]
_tasks = threading.local()


def work(task: Task, chunk: Chunk) -> Tally:
    """The tally of one chunk: the function that an executor calls."""
    plan, comparison = task.built()
    return comparison.compare(plan.parts(chunk))


def spread(task: Task, executor: Executor, ahead: int, chunks: Iterable[Chunk]) -> Results:
    """Chunks as they are done by an executor, which holds no more than `ahead` of them at a time."""
    waiting, pending = iter(chunks), {}
    try:
        while True:
            # Fill up to `ahead`, then wait for whichever is done first.
            for chunk in islice(waiting, ahead - len(pending)):
                pending[executor.submit(work, task, chunk)] = chunk
            if not pending:
                return
            for future in wait(pending, return_when=FIRST_COMPLETED).done:
                yield pending.pop(future), future.result()
    except SymcookError:
        raise
    except (BrokenExecutor, CancelledError) as error:
        raise _died(error) from error
    except Exception as error:
        if type(error).__name__ in ("KilledWorker", "CommClosedError", "FutureCancelledError"):  # those of Dask
            raise _died(error) from error
        _pickled(task)  # BadInput if the task is what could not be sent
        raise
    finally:
        for future in pending:
            future.cancel()


def _died(error: BaseException) -> BadInput:
    """The error for a worker that ended before it answered."""
    must = "a worker must live until it has answered"
    failure = f"one that ended before ({type(error).__name__}: killed, or out of memory)"
    return BadInput(must, failure, "give the same command again: with --resume FILE it resumes from there")


def _pickled(task: Task) -> bytes:
    """A task as it goes to another process; BadInput where its reference cannot."""
    try:
        return pickle.dumps(task)
    except Exception as error:  # each object says so in its own way
        must = "a specification for other processes must be a function of a module, or a Fold of such functions"
        raise BadInput(must, f"{type(error).__name__}: {error}", "put it into a file") from error


@contextmanager
def processes(count: int, task: Task) -> Iterator[Executor]:
    """So many processes of this machine, which end with this one, however it ends, and leave Ctrl-C to it. They import
    the program that runs here only where `task` needs it: one that is written without a guard would begin anew."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    program = sys.modules["__main__"]
    pool = ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), _begin)
    try:
        if b"__main__" not in _pickled(task):
            sys.modules["__main__"] = ModuleType("__main__")
        with _without_interrupt():
            for _ in range(count):
                pool.submit(sleep, 0.1)  # starts one, while the others are not idle
        sys.modules["__main__"] = program
        yield pool
    finally:
        sys.modules["__main__"] = program
        pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def _without_interrupt() -> Iterator[None]:
    """Where a Ctrl-C waits, here and, since a process inherits what is blocked, in what is started here."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _begin() -> None:
    """In a new worker: what the user's code prints must not stand in the answer; and a worker must not outlive a
    parent that was killed, since it would wait for ever."""
    import multiprocessing

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.stdout = sys.stderr
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
            os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def cluster(address: str) -> Iterator[tuple[Executor, int]]:
    """The Dask cluster whose scheduler listens at `address`, and how many threads its workers have."""
    try:
        distributed = import_module("distributed")
    except ImportError as error:
        must = "a check on a cluster must have Dask"
        raise BadInput(must, "none installed", "install symcook[cluster]") from error
    try:
        client = distributed.Client(address, timeout=10, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        must = "the address must be that of a Dask scheduler"
        raise BadInput(must, address, "for example tcp://127.0.0.1:8786, as dask scheduler prints it") from error
    with client:
        threads = sum(client.nthreads().values())
        if not threads:
            raise BadInput("the cluster must have a worker", "none", f"start one with: dask worker {address}")
        yield client.get_executor(pure=False), threads
